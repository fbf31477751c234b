import { fork, type Serializable } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A child process that answers one question at a time. It ends with its parent. */
export interface QuestionProcess<Question, Answer> {
  pid: number;
  /** @throws Error with the child's message if it fails or exits */
  ask(question: Question): Promise<Answer>;
  stop(): void;
}

type ChildReply<Answer> = { answer: Answer } | { failed: string };

/** @param script a file in this folder that calls `answerParent` */
export function startChild<Question extends Serializable, Answer>(
  script: string,
): QuestionProcess<Question, Answer> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)));
  return {
    pid: child.pid ?? 0,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const ended = (code: number | null) => reject(new Error(`${script} ended with ${code}`));
        child.once('exit', ended);
        child.once('message', (reply: ChildReply<Answer>) => {
          child.off('exit', ended);
          if ('answer' in reply) resolve(reply.answer);
          else reject(new Error(`${script}: ${reply.failed}`));
        });
        child.send(question);
      }),
    stop: () => child.disconnect(),
  };
}

/** The child's side of `startChild`. */
export function answerParent<Question, Answer>(answer: (question: Question) => Promise<Answer>) {
  process.on('disconnect', () => process.exit());
  process.on('message', async (question: Question) => {
    const reply: ChildReply<Answer> = await answer(question).then(
      (given) => ({ answer: given }),
      (error: unknown) => ({ failed: String(error) }),
    );
    process.send?.(reply);
  });
}
