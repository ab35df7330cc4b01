/**
 * The progress of a request, kept while the request is repeated with newer settings, so that it is counted
 * only once.
 */
export interface Progress {
  counted: boolean
  /** Whether the gateway has reported that the number is not on WhatsApp. */
  unreachable: boolean
}
