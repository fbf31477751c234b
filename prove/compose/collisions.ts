/** What `docker compose config --format json` says, as far as two installations on one machine could collide. */
export interface Resolved {
  name: string;
  services: Record<
    string,
    {
      container_name?: string;
      image?: string;
      build?: unknown;
      ports?: { host_ip?: string; published?: string }[];
    }
  >;
  networks: Record<string, { name: string; ipam?: { config?: unknown[] } }>;
  volumes: Record<string, { name: string }>;
}

const everywhere = ['', '0.0.0.0', '::'];

/** @returns what both of two installations have, and can only one */
export function collisions(one: Resolved, other: Resolved): string[] {
  const ofOther = new Set(namesIn(other));
  const names = namesIn(one).filter((name) => ofOther.has(name));
  const ports = portsIn(one).flatMap((port) =>
    portsIn(other).some((second) => isSame(port, second))
      ? [`port ${port.address}:${port.port}`]
      : [],
  );
  // An address range of its own would be the same in both.
  const ranges = [one, other].flatMap(({ networks }) =>
    Object.values(networks).flatMap(({ name, ipam }) =>
      ipam?.config?.length ? [`address range of ${name}`] : [],
    ),
  );
  return [...names, ...ports, ...ranges];
}

function namesIn({ name, services, networks, volumes }: Resolved): string[] {
  return [
    `project ${name}`,
    ...Object.values(services).flatMap(({ container_name, image, build }) => [
      ...(container_name === undefined ? [] : [`container ${container_name}`]),
      ...(build === undefined ? [] : [`image ${image}`]),
    ]),
    ...Object.values(networks).map((network) => `network ${network.name}`),
    ...Object.values(volumes).map((volume) => `volume ${volume.name}`),
  ].filter((name, index, all) => all.indexOf(name) === index);
}

interface Port {
  address: string;
  port: string;
}

const portsIn = ({ services }: Resolved): Port[] =>
  Object.values(services).flatMap(({ ports = [] }) =>
    ports.map(({ host_ip: address = '', published: port = '' }) => ({ address, port })),
  );

const isSame = (one: Port, other: Port): boolean =>
  one.port === other.port &&
  (one.address === other.address ||
    [one, other].some(({ address }) => everywhere.includes(address)));
