import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse, type TemplateLiteral } from 'acorn';
import { ancestor } from 'acorn-walk';

/** A literal in the code that appears on a page. */
export interface LiteralText {
  line: number;
  text: string;
}

/** Properties whose value a component shows: any word in them is text. */
const shownProperties =
  /^(label|hint|heading|title|submit|lead|caption|placeholder|ask|question|note|text|button|legend|description)$/;
/** Properties whose value is never text, even if it looks like it. */
const silentProperties = /^(path|href|action|font|class|help)$/;
/** Functions whose arguments are not shown, or are keys. */
const silentCalls =
  /^(say|Error|URL|message|set|append|get|vary|setLocale|readable|warn|error|environment|hashPassword|assertNever)$/;
const shownAttributes = /\s(?:aria-label|placeholder|title|alt)="([^"]*)"/g;
/** A template that contains only attributes. */
const onlyAttributes = /^\s*(?:[a-z-]+="|(?:required|checked|selected|autofocus)\s*$)/;

/** Several words, or one capitalized word. */
const readsLikeText = (text: string): boolean =>
  hasWord(text) && (/[\p{L}\d’”,.:;)%}] [\p{L}“(…{]/u.test(text) || /^[A-Z][a-z’]/.test(text));
/** Whether it has a word, and is not a URL, a media type, a state or only markup. */
const hasWord = (text: string): boolean =>
  !/^(?:\/|#|\?|https?:|[a-z]+\/[a-z]|[A-Z_]+$)/.test(text) &&
  /\p{L}{2}/u.test(text.replace(/<[^>]*>/g, ''));

const placeholder = '\0';
const joined = ({ quasis }: TemplateLiteral): string =>
  quasis.map(({ value }) => value.cooked ?? '').join(placeholder);

/** The text that a markup template shows: between its tags, and in attributes for screen readers. */
function shownBy(template: TemplateLiteral): string[] {
  const markup = joined(template);
  const attributes = [...markup.matchAll(shownAttributes)].map(([, value = '']) => value);
  if (!markup.includes('<') && onlyAttributes.test(markup)) return attributes;
  const between = markup
    .replace(/<svg[\s\S]*?<\/svg>/g, ' ')
    .replace(/&[a-z]+;/g, ' ')
    .split(/<(?:[^"'>]|"[^"]*"|'[^']*')*>/)
    .flatMap((text) => text.split(placeholder));
  return [...between, ...attributes].map((text) => text.trim()).filter(hasWord);
}

const calleeOf = (node: AnyNode): string =>
  node.type === 'CallExpression' || node.type === 'NewExpression'
    ? node.callee.type === 'MemberExpression' && node.callee.property.type === 'Identifier'
      ? node.callee.property.name
      : node.callee.type === 'Identifier'
        ? node.callee.name
        : ''
    : '';

const keyOf = (node: AnyNode): string =>
  node.type !== 'Property'
    ? ''
    : node.key.type === 'Identifier'
      ? node.key.name
      : node.key.type === 'Literal'
        ? String(node.key.value)
        : '';

/** Whether a literal is shown, judged by its nearest enclosing node. @param path its ancestors, and itself */
function isShown(text: string, path: readonly AnyNode[]): boolean {
  for (let at = path.length - 2; at >= 0; at -= 1) {
    const [node, inner] = path.slice(at, at + 2) as [AnyNode, AnyNode];
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
      case 'SwitchCase':
        return node.type === 'SwitchCase' && node.test !== inner && readsLikeText(text);
      case 'BinaryExpression':
        if (node.operator !== '+') return false;
        break;
      case 'MemberExpression':
        return false;
      case 'Property':
        if (node.key === inner && node.value !== inner) return false;
        if (silentProperties.test(keyOf(node))) return false;
        return shownProperties.test(keyOf(node)) ? hasWord(text) : readsLikeText(text);
      case 'CallExpression':
      case 'NewExpression':
        if (/^code(Block)?$/.test(calleeOf(node)) && node.arguments[0] === inner) return false;
        return !silentCalls.test(calleeOf(node)) && readsLikeText(text);
      default:
    }
  }
  return readsLikeText(text);
}

/** The literal texts of a source file that appear on pages, in markup or as arguments of components. */
export function literalTexts(source: string): LiteralText[] {
  const tree = parse(stripTypeScriptTypes(source), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const found: LiteralText[] = [];
  const add = (node: AnyNode, ...texts: string[]) => {
    for (const text of texts) found.push({ line: node.loc?.start.line ?? 0, text });
  };
  ancestor(tree, {
    Literal(node, _state, ancestors) {
      if (typeof node.value !== 'string') return;
      if (isShown(node.value, ancestors)) add(node, node.value);
    },
    TemplateLiteral(node, _state, ancestors) {
      const text = joined(node).replaceAll(placeholder, '{}');
      if (ancestors.at(-2)?.type === 'TaggedTemplateExpression') add(node, ...shownBy(node));
      else if (isShown(text, ancestors)) add(node, text);
    },
  });
  return found;
}

/** All string literals of a source file, among them the message keys that it uses. */
export function stringsIn(source: string): Set<string> {
  const strings = new Set<string>();
  const tree = parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module' });
  ancestor(tree, {
    Literal({ value }) {
      if (typeof value === 'string') strings.add(value);
    },
  });
  return strings;
}

/** Whether a source file looks up a text outside of its functions. */
export function saysWhileLoading(source: string): boolean {
  let says = false;
  const tree = parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module' });
  ancestor(tree, {
    CallExpression(node, _state, ancestors) {
      const isWithin = ancestors.some(({ type }) => /Function/.test(type));
      if (calleeOf(node) === 'say' && !isWithin) says = true;
    },
  });
  return says;
}
