import { load } from "../../../src/load.ts"

const answer = async (request: Request): Promise<Response> => (await load()).inbox.fetch(request)

export { answer as DELETE, answer as GET, answer as POST }
