package store

// noFollow has no counterpart here: what is a link is seen before opening.
const noFollow = 0
