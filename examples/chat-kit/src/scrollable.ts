/** Of what may be wider or higher than its box: keys scroll what has the focus, and not every browser gives it by itself. */
export const scrollable = { tabIndex: 0 } as const
