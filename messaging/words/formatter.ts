import { IntlMessageFormat } from 'intl-messageformat';

/**
 * The names of the arguments of an ICU message, with a `#` before those of plurals. A brace within text
 * opens an argument; a brace within a plural or a select opens one of its texts.
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

/** The values of a message: numbers for plurals, text or markup for other arguments, functions for tags. */
export type ValuesOf<Message extends string, Markup> = {
  [Name in Names<Message> as Name extends `#${infer Counted}`
    ? Counted
    : Name]: Name extends `#${string}` ? number : string | number | Markup;
} & { [Name in Tags<Message>]: (parts: (string | Markup)[]) => Markup };

/**
 * Formats the messages of one language. A message is parsed once; one without arguments and tags is not
 * parsed. The result is text, or a list if values or tags are markup.
 * @throws Error if the values lack an argument or tag of the message
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
