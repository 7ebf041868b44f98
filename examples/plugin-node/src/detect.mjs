// Detect: is this directory a project whose tests node --test runs?
import { closeSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTestFile, walkFiles } from './glob.mjs';
import { findNodeTest, findOtherRunner, readPackage } from './project.mjs';

const headBytes = 16 * 1024; // imports are at the top
const maxOpened = 500; // files to open before giving up

export function detect({ workspace }) {
  const root = workspace.root;
  const pkg = readPackage(root);
  if (!pkg) return { detected: false };
  if (findNodeTest(pkg)) return { detected: true };
  const runner = findOtherRunner(pkg);
  if (!runner && usesNodeTest(root)) return { detected: true };
  const untested = findNested(root);
  if (runner) {
    untested.unshift({
      path: '.',
      reason: `package.json uses ${runner}, which this plugin does not run; add a script that calls "node --test"`,
    });
  }
  return { detected: false, untested };
}

// usesNodeTest looks for a test file that imports node:test.
function usesNodeTest(root) {
  let left = maxOpened;
  let found = false;
  walkFiles(root, (path) => {
    if (!isTestFile(path)) return true;
    found = /['"]node:test['"]/.test(readHead(join(root, path)));
    return !found && --left > 0;
  });
  return found;
}

// findNested finds packages below the root with tests of their own.
function findNested(root) {
  const out = [];
  walkFiles(root, (path) => {
    if (path !== 'package.json' && path.endsWith('/package.json') && findNodeTest(readPackage(join(root, dirname(path))))) {
      out.push({ path: dirname(path), reason: 'it is a package of its own: run proctor in it' });
    }
    return out.length < 100;
  });
  return out;
}

function readHead(path) {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(headBytes);
      return buffer.toString('latin1', 0, readSync(file, buffer, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
