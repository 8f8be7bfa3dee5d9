/** Of what may be wider or higher than its box: keys scroll what has the focus. */
export const scrollable = { tabIndex: 0 } as const
