/**
 * The engine's interface for other programs: every method, so that it says itself which it does not know.
 */
import { countersign } from "../../../../src/engine.ts"

const answer = async (request: Request): Promise<Response> => (await countersign()).fetch(request)

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
}
