'use strict';
{
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (tag, attributes = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
};

// The state of the page is in its address: #failed shows one section, #find=words looks
// for tests, #f-… is a failure.
const nav = $('nav'), links = $$('nav a:not(.whole)'), whole = $('nav .whole');
const sections = $$('main > section'), ids = new Set(links.map(a => a.hash.slice(1)));
const input = $('.find input'), found = $('.found'), count = $('.find output'), suites = $('.suites');

const show = () => {
  let hash = location.hash.slice(1), words = '';
  if (hash.startsWith('find=')) {
    try { words = decodeURIComponent(hash.slice(5)); } catch { /* not ours */ }
    hash = 'all';
  }
  const only = ids.has(hash) ? hash : '';
  for (const s of sections) s.hidden = only !== '' && s.id !== only;
  for (const a of links) a.hash === '#' + only ? a.setAttribute('aria-current', 'true') : a.removeAttribute('aria-current');
  whole.hidden = only === '';
  if (input && input.value.trim() !== words) { input.value = words; }
  find(words);
  if (only !== '') { scrollTo(0, 0); return; }
  const target = hash && document.getElementById(hash);
  if (!target) return;
  for (let e = target; e; e = e.parentElement) if (e.localName === 'details') e.open = true;
  target.scrollIntoView({block: 'start'});
};
addEventListener('hashchange', show);

// What is searched are the lists of tests, read once.
const maxFound = 200;
let tests = null;
const readTests = () => {
  if (tests) return tests;
  tests = [];
  for (const suite of $$('.suite')) {
    const name = $('.name', suite).textContent;
    for (const li of $$('.reds > li', suite)) {
      const link = $('a', li), test = (link || $('.name', li) || li).textContent;
      tests.push({mark: '✗', suite: name, test, href: link && link.getAttribute('href'), key: (name + ' ' + test).toLowerCase(), at: suite});
    }
    for (const pre of $$('.names', suite)) {
      for (const line of pre.textContent.split('\n')) {
        const tab = line.indexOf('\t');
        if (tab < 0) continue;
        const test = line.slice(tab + 1);
        tests.push({mark: line[0], took: line.slice(1, tab).trim(), suite: name, test, key: (name + ' ' + test).toLowerCase(), at: suite});
      }
    }
  }
  return tests;
};
const classes = {'✗': 'bad', '✓': 'good', '~': 'doubt'};
const marked = (text, words) => {
  const lower = text.toLowerCase(), parts = [];
  if (lower.length !== text.length) return [text];
  let from = 0;
  while (from < text.length) {
    let at = -1, size = 0;
    for (const w of words) {
      const i = lower.indexOf(w, from);
      if (i >= 0 && (at < 0 || i < at)) { at = i; size = w.length; }
    }
    if (at < 0) break;
    parts.push(text.slice(from, at), make('mark', {}, text.slice(at, at + size)));
    from = at + size;
  }
  return [...parts, text.slice(from)];
};
const find = text => {
  if (!input) return;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  suites.hidden = words.length > 0;
  count.textContent = '';
  if (words.length === 0) { found.replaceChildren(); return; }
  const all = readTests(), list = make('ul');
  let hits = 0;
  for (const t of all) {
    if (!words.every(w => t.key.includes(w))) continue;
    if (++hits > maxFound) continue;
    const row = make('li', {}, make('b', {class: classes[t.mark] || 'none'}, t.mark), ' ', make('small', {}, ...marked(t.suite, words)), ' ');
    row.append(t.href ? make('a', {href: t.href}, ...marked(t.test, words)) : make('span', {class: 'name'}, ...marked(t.test, words)));
    if (t.took) row.append(' ', make('small', {}, t.took));
    list.append(row);
  }
  found.replaceChildren(list);
  count.textContent = `${hits.toLocaleString('en')} of ${all.length.toLocaleString('en')} tests` + (hits > maxFound ? `, the first ${maxFound}` : '');
};
if (input) {
  $('.find').hidden = false;
  let waiting = 0;
  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const words = input.value.trim();
      try { history.replaceState(null, '', words ? '#find=' + encodeURIComponent(words) : '#all'); } catch { /* a page without an address */ }
      find(words);
    }, 80);
  });
}

// Copying: a command, or all that is shown of a cause.
const copy = async (text, button) => {
  let done = false;
  try { await navigator.clipboard.writeText(text); done = true; } catch {
    const area = make('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  const label = button.textContent;
  button.textContent = done ? 'copied' : 'not copied';
  setTimeout(() => { button.textContent = label; }, 1200);
};
const textOf = cause => {
  const parts = [];
  for (const e of $$(':scope > summary h3, :scope > summary .standing, :scope > .one, :scope > .at, :scope > pre, :scope > .remark, :scope > .stack > pre, :scope > .output > pre, :scope > .again code', cause)) {
    parts.push(e.matches('.diff') ? [...e.children].map(l => l.textContent).join('\n') : e.matches('.source') ? e.innerText : e.textContent);
  }
  return parts.map(p => p.replace(/\s+$/, '')).join('\n') + '\n';
};
const causes = () => $$('.cause').filter(c => c.closest('section') && !c.closest('section').hidden);
for (const cause of $$('.cause')) {
  const button = make('button', {type: 'button', class: 'copy'}, 'copy failure');
  button.addEventListener('click', () => copy(textOf(cause), button));
  const link = make('button', {type: 'button', class: 'copy'}, 'copy link');
  link.addEventListener('click', () => copy(location.href.split('#')[0] + '#' + cause.id, link));
  const again = $(':scope > .again', cause), line = again || make('p', {class: 'again'});
  if (again) {
    const command = make('button', {type: 'button', class: 'copy'}, 'copy command');
    command.addEventListener('click', () => copy($('code', again).textContent, command));
    again.append(' ', command);
  } else {
    cause.append(line);
  }
  line.append(' ', button, ' ', link);
}

// The colors: those of the system, or the others.
const tools = make('span', {class: 'tools'});
const theme = make('button', {type: 'button'});
const themes = ['system', 'light', 'dark'];
let chosen = 0;
try { chosen = Math.max(themes.indexOf(localStorage.getItem('proctor-theme')), 0); } catch { /* no storage for files */ }
const paint = () => {
  if (chosen === 0) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = themes[chosen];
  theme.textContent = 'colors: ' + themes[chosen];
};
theme.addEventListener('click', () => {
  chosen = (chosen + 1) % themes.length;
  try { localStorage.setItem('proctor-theme', themes[chosen]); } catch { /* no storage for files */ }
  paint();
});
paint();

// Keys.
const help = make('dialog', {'aria-label': 'keys'});
const keys = make('dl');
const known = [['j k', 'next and previous cause'], ['o', 'open or close its output and stack'], ['c', 'copy it'], ['/', 'find tests'],
  ...links.map((a, i) => [String(i + 1), a.firstChild.textContent.trim().toLowerCase()]), ['0 Esc', 'overview'], ['?', 'these keys']];
for (const [key, what] of known) keys.append(make('dt', {}, ...key.split(' ').flatMap((k, i) => i ? [' ', make('kbd', {}, k)] : [make('kbd', {}, k)])), make('dd', {}, what));
const close = make('button', {type: 'button'}, 'close');
close.addEventListener('click', () => help.close());
help.append(keys, close);
document.body.append(help);
const asking = make('button', {type: 'button', class: 'keys', 'aria-label': 'keys'}, '?');
asking.addEventListener('click', () => help.showModal());
tools.append(theme, asking);
nav.append(tools);

let now = null;
const step = by => {
  const all = causes();
  if (all.length === 0) return;
  const at = all.indexOf(now), next = all[Math.min(Math.max(at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by, 0), all.length - 1)];
  if (now) now.classList.remove('now');
  now = next;
  now.classList.add('now');
  now.open = true;
  $('summary', now).focus({preventScroll: true});
  now.scrollIntoView({block: 'start'});
};
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || help.open) return;
  if (e.target.closest('input, textarea, select')) {
    if (e.key === 'Escape') { input.value = ''; input.blur(); location.hash = 'all'; }
    return;
  }
  const digit = /^[1-9]$/.test(e.key) ? links[e.key - 1] : null;
  if (digit) location.hash = digit.hash;
  else if (e.key === 'j') step(1);
  else if (e.key === 'k') step(-1);
  else if (e.key === 'o') {
    const folded = now ? $$('.output, .stack', now) : [], open = folded.some(d => !d.open);
    for (const d of folded) d.open = open;
  } else if (e.key === 'c' && now) copy(textOf(now), $('.copy', now));
  else if (e.key === '/') { if (input) { if (location.hash !== '#all' && !location.hash.startsWith('#find=')) location.hash = 'all'; input.focus(); } }
  else if (e.key === '0' || e.key === 'Escape') { if (location.hash) location.hash = ''; }
  else if (e.key === '?') help.showModal();
  else return;
  e.preventDefault();
});
show();
}
