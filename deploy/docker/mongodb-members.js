// Run with mongosh in the profile cluster, as root, on the primary. Safe to run again.
const { members } = rs.conf();
for (const host of ['mongodb-2:27017', 'mongodb-3:27017']) {
  if (!members.some((member) => member.host === host)) rs.add(host);
}
const config = rs.conf();
const wanted = {
  electionTimeoutMillis: 2000,
  heartbeatIntervalMillis: 500,
  heartbeatTimeoutSecs: 2,
};
if (Object.entries(wanted).some(([name, value]) => config.settings[name] !== value)) {
  Object.assign(config.settings, wanted);
  rs.reconfig(config);
}
