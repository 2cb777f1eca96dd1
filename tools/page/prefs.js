// What the page remembers: switches for ever, players as long as the tab is open. Without storage it forgets.

/** Reads a remembered value, or returns `standard`. */
export function recall(key, standard, storage = "localStorage") {
  try {
    return JSON.parse(window[storage].getItem(`fourbase.${key}`)) ?? standard;
  } catch {
    return standard;
  }
}

/** Remembers a value. */
export function remember(key, value, storage = "localStorage") {
  try {
    window[storage].setItem(`fourbase.${key}`, JSON.stringify(value));
  } catch {
    // Private windows may have no storage. The page works without it.
  }
}
