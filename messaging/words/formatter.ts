import { IntlMessageFormat } from 'intl-messageformat';

/**
 * The arguments of an ICU message, by name; what is counted has a `#` before it. A brace opens an argument, and
 * within one that chooses, a choice: so they take turns.
 */
type Names<
  Message extends string,
  In extends 'text' | 'argument' = 'text',
  Found = never,
> = Message extends `${infer Before}{${infer After}`
  ? Before extends `${string}}${infer Rest}`
    ? Names<`${Rest}{${After}`, Other<In>, Found>
    : In extends 'argument'
      ? Names<After, 'text', Found>
      : After extends `${infer Name}}${infer Rest}`
        ? Name extends `${infer Counted}, plural,${string}`
          ? Names<After, 'argument', Found | `#${Counted}`>
          : Name extends `${infer Chosen},${string}`
            ? Names<After, 'argument', Found | Chosen>
            : Names<Rest, 'text', Found | Name>
        : Found
  : Found;

type Other<In> = In extends 'text' ? 'argument' : 'text';

type Tags<
  Message extends string,
  Found = never,
> = Message extends `${string}<${infer Name}>${infer Rest}`
  ? Tags<Rest, Name extends `/${string}` ? Found : Found | Name>
  : Found;

/** What a message takes: a number for what is counted, text or markup for any other argument, a function for each tag. */
export type ValuesOf<Message extends string, Markup> = {
  [Name in Names<Message> as Name extends `#${infer Counted}`
    ? Counted
    : Name]: Name extends `#${string}` ? number : string | number | Markup;
} & { [Name in Tags<Message>]: (parts: (string | Markup)[]) => Markup };

/**
 * Says the messages of one language. Each is parsed once, and one without arguments and tags never. The answer is
 * text, or a list where values or tags are markup; a tag that the caller does not name is an error.
 */
export function formatterOf<Key extends string>(
  messages: Readonly<Record<Key, string>>,
  language: string,
): (key: Key, values?: object) => unknown {
  const formats = new Map<Key, IntlMessageFormat>();
  return (key, values) => {
    const message = messages[key];
    if (!message.includes('{') && !message.includes('<')) return message;
    const format = formats.get(key) ?? new IntlMessageFormat(message, language);
    formats.set(key, format);
    return format.format(values as Record<string, string>);
  };
}
