package store

// noFollow has no counterpart here: links are detected before opening.
const noFollow = 0
