import { ServerResponse } from "node:http"

/**
 * A response that leaves in one write. The adapter asks Node to compare the length of what is written
 * with the header's; Node then ends a response with a second, empty write, which costs a tenth of a small
 * request. Answers here are whole texts whose length the same adapter has counted.
 */
export class OneWriteResponse extends ServerResponse {
  static {
    Object.defineProperty(OneWriteResponse.prototype, "strictContentLength", {
      get: () => false,
      set: () => {},
    })
  }
}
