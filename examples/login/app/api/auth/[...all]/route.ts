import { load } from "../../../../src/load.ts"

const answer = async (request: Request): Promise<Response> => (await load()).auth.handler(request)

export { answer as GET, answer as POST }
