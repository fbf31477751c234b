// Run after replica-set.js, in the profile cluster. Adds the other members and shortens elections. Safe to run again.
db = primary;
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
