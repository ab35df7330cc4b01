/**
 * The dashboard, for operators who have signed in.
 */
import { admin } from "../../../src/admin.ts"

const answer = async (request: Request): Promise<Response> => (await admin()).fetch(request)

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as PATCH,
  answer as POST,
  answer as PUT,
}
