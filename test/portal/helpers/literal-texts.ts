import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse, type TemplateLiteral } from 'acorn';
import { ancestor } from 'acorn-walk';

/** A text that stands in the code, where a reader of the page would see it. */
export interface LiteralText {
  line: number;
  text: string;
}

/** What a component shows: whatever letters stand there are a text. */
const shownProperties =
  /^(label|hint|heading|title|submit|lead|caption|placeholder|ask|question|note|text|button|legend|description)$/;
/** What reads like a text, and is none. */
const silentProperties = /^(path|href|action|font|class|help)$/;
/** What is given to these is shown to nobody, or is a key. */
const silentCalls =
  /^(say|Error|URL|message|set|append|get|vary|setLocale|readable|warn|error|environment|hashPassword|assertNever)$/;
const shownAttributes = /\s(?:aria-label|placeholder|title|alt)="([^"]*)"/g;
/** A template that makes attributes alone. */
const attributesAlone = /^\s*(?:[a-z-]+="|(?:required|checked|selected|autofocus)\s*$)/;

/** Words, or one word that begins a text. */
const readsLikeText = (text: string): boolean =>
  hasWord(text) && (/[\p{L}\d’”,.:;)%}] [\p{L}“(…{]/u.test(text) || /^[A-Z][a-z’]/.test(text));
/** Neither an address, a media type, a state nor markup alone. */
const hasWord = (text: string): boolean =>
  !/^(?:\/|#|\?|https?:|[a-z]+\/[a-z]|[A-Z_]+$)/.test(text) &&
  /\p{L}{2}/u.test(text.replace(/<[^>]*>/g, ''));

const placeholder = '\0';
const joined = ({ quasis }: TemplateLiteral): string =>
  quasis.map(({ value }) => value.cooked ?? '').join(placeholder);

/** What a template of markup shows: text between its tags, and the attributes that are read out. */
function shownBy(template: TemplateLiteral): string[] {
  const markup = joined(template);
  const attributes = [...markup.matchAll(shownAttributes)].map(([, value = '']) => value);
  if (!markup.includes('<') && attributesAlone.test(markup)) return attributes;
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

/** Whether what stands at the end of a path through the tree is seen: by what is nearest around it. */
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

/** Every text that stands in a source for its readers, be it in markup or given to a component. */
export function literalTexts(source: string): LiteralText[] {
  const tree = parse(stripTypeScriptTypes(source), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const found: LiteralText[] = [];
  const tell = (node: AnyNode, ...texts: string[]) => {
    for (const text of texts) found.push({ line: node.loc?.start.line ?? 0, text });
  };
  ancestor(tree, {
    Literal(node, _state, ancestors) {
      if (typeof node.value !== 'string') return;
      if (isShown(node.value, ancestors)) tell(node, node.value);
    },
    TemplateLiteral(node, _state, ancestors) {
      const text = joined(node).replaceAll(placeholder, '{}');
      if (ancestors.at(-2)?.type === 'TaggedTemplateExpression') tell(node, ...shownBy(node));
      else if (isShown(text, ancestors)) tell(node, text);
    },
  });
  return found;
}

/** Every string of a source: what a key of the catalogue can be asked for by. */
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

/** Whether a source says something outside of its functions. */
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
