// What the access log says of a request beyond what its connection knows: noted where it is found out, and gone with the request.

const instances = new WeakMap<object, number>()
const requestIds = new WeakMap<object, string>()

/** A request with what Node gave it as. */
interface Request {
  readonly source: object
}

/** Names the instance of a request that was authenticated. */
export const noteInstance = ({ source }: Request, instanceId: number): void =>
  void instances.set(source, instanceId)
/** Names a request. */
export const noteRequestId = ({ source }: Request, id: string): void => void requestIds.set(source, id)

/** Of a request as Node gave it. */
export const namesOf = (source: object) => ({
  instance: instances.get(source) ?? null,
  requestId: requestIds.get(source) ?? null
})
