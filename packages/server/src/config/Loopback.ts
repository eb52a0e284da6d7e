/** Whether only processes of this machine can reach a host name or address. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(host)
