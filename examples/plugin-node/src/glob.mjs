// Globs over the paths of a workspace, and the files that they match.
import { readdirSync } from 'node:fs';

const maxFiles = 100_000; // a walk ends after so many: no project has more test files
const ignored = new Set(['node_modules', '.git', '.proctor']);

// globRegExp understands *, **, ?, [..] and {a,b}.
export function globRegExp(glob) {
  let out = '';
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const c = glob[i];
    if (c === '*' && glob[i + 1] === '*') {
      const whole = glob[i + 2] === '/';
      out += whole ? '(?:.*/)?' : '.*';
      i += whole ? 2 : 1;
    } else if (c === '*') out += '[^/]*';
    else if (c === '?') out += '[^/]';
    else if (c === '{') (out += '(?:'), depth++;
    else if (c === '}' && depth > 0) (out += ')'), depth--;
    else if (c === ',' && depth > 0) out += '|';
    else if (c === '[' && /^\[[!^]?[^\]/]+\]/.test(glob.slice(i))) {
      const body = glob.slice(i + 1, glob.indexOf(']', i + 2));
      out += `[${body.replace(/^!/, '^').replace(/\\/g, '\\\\')}]`;
      i += body.length + 1;
    } else out += c.replace(/[.+^$|()[\]{}\\]/g, '\\$&');
  }
  return new RegExp(`^${out}${')'.repeat(depth)}$`);
}

export function isGlob(text) {
  return /[*?[{]/.test(text);
}

// walkFiles calls visit with every file below the root, relative and with slashes, ordered
// by name. It follows no symbolic links, and ends when visit returns false.
export function walkFiles(root, visit) {
  let left = maxFiles;
  const into = (dir) => {
    let entries;
    try {
      entries = readdirSync(dir ? `${root}/${dir}` : root, { withFileTypes: true });
    } catch {
      return true; // unreadable: as if empty
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = dir ? `${dir}/${entry.name}` : entry.name;
      if (--left < 0) return false;
      if (entry.isDirectory()) {
        if (!ignored.has(entry.name) && !into(path)) return false;
      } else if (entry.isFile() && visit(path) === false) return false;
    }
    return true;
  };
  return into('');
}

// isTestFile is the rule by which node --test finds test files.
export function isTestFile(path) {
  if (!/\.[cm]?js$/.test(path)) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^test(-.+)?\.[cm]?js$/.test(name) || /.[._-]test\.[cm]?js$/.test(name) || /(^|\/)test\//.test(path);
}
