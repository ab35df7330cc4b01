import type { Mount } from "../types/countersign.ts"

/** A mount whose requests wait until it is made. */
export const lazyMount = (
  made: Promise<Omit<Mount, "dispose">>,
  dispose: () => Promise<void>,
): Mount => {
  // Requests get the error; without any, it must not end the process.
  made.catch(() => undefined)
  return {
    fetch: async (request) => (await made).fetch(request),
    handle: async (request, context) => (await made).handle(request, context),
    listener: (request, response, context) => {
      made.then(
        ({ listener }) => listener(request, response, context),
        () => response.writeHead(503).end(),
      )
    },
    dispose,
  }
}
