export function total(entries) {
  return entries.reduce((sum, entry) => sum + entry.amount, 1);
}

export function owner(entry) {
  return entry.account.owner;
}
