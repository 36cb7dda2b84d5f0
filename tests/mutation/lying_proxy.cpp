#include "mutation/lying_proxy.hpp"

#include <poll.h>

#include <array>
#include <functional>
#include <optional>

#include "actors/transport/frames_of.hpp"
#include "mutation/mutations.hpp"
#include "runtime/trial_authority.hpp"

namespace troupe_test {

using namespace troupe;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kBeforeType = "@<>+";

/// Takes bytes of one end and returns the bytes for the other end.
using Change = std::function<std::vector<std::byte>(std::span<const std::byte> bytes)>;

/// Returns the frame with the changed message if the frame contains one of our messages, else the frame itself.
Frame changed(const Frame& whole, Direction direction, int node, Wire& wire) {
  if (header_of(whole).operation != static_cast<std::uint8_t>(wire::Operation::direct_message)) return whole;
  const Frame payload = payload_of(whole);
  wire::Reader reader(payload);
  const bool plain = reader.count(payload.size()) == 0 && reader.number16() == 0;
  const std::string type(reader.text(payload.size()));
  if (!plain || !reader.good() || !type.starts_with(std::string(kBeforeType) + "troupe::")) return whole;
  const std::size_t read = 1 + 2 + 1 + type.size();
  const caf::message said =
      read_message(std::string_view(type).substr(kBeforeType.size()), std::span(payload).subspan(read));
  Frame other(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(read));
  append(other, bytes_of_fields(wire.pass(direction, node, said)));
  return frame(header_of(whole), other);
}

Change change_frames(Direction direction, int node, const std::shared_ptr<Wire>& wire) {
  return [=, frames = std::make_shared<FramesOf>()](std::span<const std::byte> bytes) {
    std::vector<std::byte> changed_bytes;
    for (const Frame& whole : frames->take(bytes)) append(changed_bytes, changed(whole, direction, node, *wire));
    return changed_bytes;
  };
}

/// Forwards the available bytes. Returns false at the end of the connection.
bool pass_on(TlsStream& from, TlsStream& to, const Change& change) {
  std::array<std::byte, 65536> bytes;
  do {
    const auto progress = from.read_some(bytes);
    const auto changed_bytes = change(std::span<const std::byte>(bytes).first(progress.bytes));
    if (!changed_bytes.empty()) to.write_all(changed_bytes, Deadline(20s));
    if (progress.wants == TlsStream::Wants::closed) return false;
    if (progress.bytes == 0) return true;
  } while (true);
}

}  // namespace

LyingProxy::LyingProxy(int node, Address driver, std::shared_ptr<Wire> wire)
    : node_(node), driver_(std::move(driver)), wire_(std::move(wire)) {
  gate_ = std::make_unique<Gate>(
      Address{"127.0.0.1", 0}, trial_authority().driver(), [](const Hello&, const TlsStream&) { return ""; },
      [this](const Hello& hello, TlsStream stream) {
        const std::lock_guard lock(mutex_);
        relays_.emplace_back([this, hello, own = std::move(stream)]() mutable { relay(hello, std::move(own)); });
      });
}

LyingProxy::~LyingProxy() {
  gate_.reset();
  ends_ = true;
}

void LyingProxy::relay(const Hello& hello, TlsStream node) try {
  TlsStream driver = TlsStream::dial(driver_, *trial_authority().node(node_), Role::driver, Deadline(10s));
  say_hello(driver, hello, Deadline(10s));
  const Change as_it_is = [](std::span<const std::byte> bytes) {
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const bool control = hello.purpose == Purpose::control;
  const Change to_driver = control ? change_frames(Direction::to_driver, node_, wire_) : as_it_is;
  const Change to_node = control ? change_frames(Direction::to_member, node_, wire_) : as_it_is;
  while (!ends_) {
    std::array<pollfd, 2> ready{pollfd{node.fd(), POLLIN, 0}, pollfd{driver.fd(), POLLIN, 0}};
    if (!node.pending() && !driver.pending()) ::poll(ready.data(), ready.size(), 100);
    if ((ready[0].revents != 0 || node.pending()) && !pass_on(node, driver, to_driver)) return;
    if ((ready[1].revents != 0 || driver.pending()) && !pass_on(driver, node, to_node)) return;
  }
} catch (const Error&) {
  return;  // one end has closed the connection or refused the other: both ends see the end of their connection
}

}  // namespace troupe_test
