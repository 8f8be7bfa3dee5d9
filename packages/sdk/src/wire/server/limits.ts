/** Of a JSON body. What is larger is uploaded first. */
export const MAX_JSON_BYTES = 8 * 1024 * 1024

/** Sessions on one stream. */
export const MAX_STREAM_SESSIONS = 100
