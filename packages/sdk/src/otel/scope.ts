/** Who instruments: the name of tracer and meter. */
export const SCOPE = '@stepwell/sdk'
