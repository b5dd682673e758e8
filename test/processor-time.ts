// Processor time of this process. What is pure computing is measured by it and not by the clock: beside other tests, and on
// a machine that others use too, the clock says how busy the machine is.
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
