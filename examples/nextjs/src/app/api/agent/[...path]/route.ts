import { agentServer } from '../../../../server/agent.ts'

const handler = (request: Request): Promise<Response> => agentServer().fetch(request)

export { handler as DELETE, handler as GET, handler as POST }
