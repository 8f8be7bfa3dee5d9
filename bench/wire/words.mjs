/** Never in an order that repeats itself: Stepwell stops a model that goes round in circles. */
export const word = (i) => `${(i * 7_919 + 104_729).toString(36).padStart(6, 'x')} `
