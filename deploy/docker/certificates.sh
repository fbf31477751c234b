#!/bin/sh
# `certificates.sh <server folder> <client folder>`: creates the certificates by which Temporal and its clients identify
# each other, unless they exist. Each side has an authority of its own, whose key is not kept: nobody can be let in later.
# To create new ones, remove both volumes.
set -eu
server=${1:?usage: certificates.sh <server folder> <client folder>}
client=${2:?usage: certificates.sh <server folder> <client folder>}
days=3652

if [ -e "$client/client.key" ]; then
  echo 'The certificates are there.'
  exit
fi

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# create <name> <common name> <line of extensions>... [-- <options of the signer>...]
create() {
  name=$1
  subject=$2
  shift 2
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -subj "/CN=$subject" \
    -keyout "$made/$name.key" -out "$made/$name.csr" 2> /dev/null
  : > "$made/$name.extensions"
  while [ "$1" != -- ]; do
    echo "$1" >> "$made/$name.extensions"
    shift
  done
  shift
  openssl x509 -req -in "$made/$name.csr" -days "$days" -sha256 -extfile "$made/$name.extensions" "$@" \
    -out "$made/$name.pem" 2> /dev/null
}

authority() {
  create "$1" "$2" basicConstraints=critical,CA:TRUE keyUsage=critical,keyCertSign,cRLSign -- -signkey "$made/$1.key"
}

# certificate <name> <common name> <authority> <what for>
certificate() {
  create "$1" "$2" basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature \
    "extendedKeyUsage=$4" "subjectAltName=DNS:$2" \
    -- -CA "$made/$3.pem" -CAkey "$made/$3.key" -CAcreateserial
}

authority servers 'Temporal servers'
authority clients 'Temporal clients'
# The clients call the server by this name. Its parts are each other's clients.
certificate server temporal servers serverAuth,clientAuth
certificate client partner-events-service clients clientAuth

# put <made> <file>: readable for every user, since each container that mounts the volume has another one.
put() {
  cp "$made/$1" "$2.part"
  chmod 444 "$2.part"
  mv -f "$2.part" "$2"
}
mkdir -p "$server" "$client"
put servers.pem "$server/ca.pem"
put clients.pem "$server/clients-ca.pem"
put server.pem "$server/server.pem"
put server.key "$server/server.key"
put servers.pem "$client/ca.pem"
put client.pem "$client/client.pem"
# The last one, so that whoever finds it finds the others.
put client.key "$client/client.key"
echo "The certificates are created, for $days days."
