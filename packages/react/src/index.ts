/** React hooks over a Stepwell session view. */
export {}
