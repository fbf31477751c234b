# Receives webhooks, using only Ruby and WEBrick (gem install webrick).
#
#   export WEBHOOK_SECRET=whsec_… PORT=8080
#   ruby receiver.rb

require 'json'
require 'openssl'
require 'webrick'

MAX_BYTES = 64 * 1024
TOLERANCE_SECONDS = 300

class Refused < StandardError; end

# Checks that the service sent the webhook (Standard Webhooks 1.0).
def verify(body, headers, secret, now = Time.now)
  encoded = secret[/\Awhsec_(.+)\z/, 1] or raise Refused, 'INVALID_SECRET'
  key = encoded.unpack1('m0')
  id, timestamp, signatures = %w[id timestamp signature].map { |name| headers["webhook-#{name}"] }
  raise Refused, 'MISSING_HEADER' unless id && timestamp && signatures
  is_in_time = timestamp.match?(/\A\d+\z/) && (now.to_i - timestamp.to_i).abs <= TOLERANCE_SECONDS
  raise Refused, 'TIMESTAMP_OUT_OF_RANGE' unless is_in_time

  digest = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{[digest].pack('m0')}"
  is_signed = signatures.split.any? { |one| OpenSSL.secure_compare(one, expected) }
  raise Refused, 'INVALID_SIGNATURE' unless is_signed
end

# In your shop, use a table with a unique index, written in the same transaction as the event's changes.
SEEN = {}
LOCK = Mutex.new

class Receiver < WEBrick::HTTPServlet::AbstractServlet
  def do_POST(request, response)
    # The bytes as received: re-serialized JSON would have another signature.
    body = String.new
    request.body do |part|
      body << part
      raise Refused, 'TOO_LARGE' if body.bytesize > MAX_BYTES
    end
    verify(body, request, ENV.fetch('WEBHOOK_SECRET'))
    event = JSON.parse(body)
    id = request['webhook-id']
    # A webhook may arrive twice: ignore the second.
    is_new = LOCK.synchronize { SEEN.key?(id) ? false : SEEN[id] = true }
    # Only store it here, and process it after the response, which must be sent within seconds.
    puts "received #{event['type']} #{id}" if is_new
    response.status = 204
  rescue Refused, JSON::ParserError, ArgumentError => e
    response.status = 400
    response.body = e.message
  end
end

$stdout.sync = true
quiet = WEBrick::Log.new(nil, WEBrick::BasicLog::ERROR)
server = WEBrick::HTTPServer.new(
  Port: ENV.fetch('PORT', '8080').to_i, Logger: quiet, AccessLog: [], RequestTimeout: 10
)
server.mount('/', Receiver)
puts "listening on port #{server.listeners.first.addr[1]}"
trap('INT') { server.shutdown }
server.start
