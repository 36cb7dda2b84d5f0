#include "actors/transport/control_link.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kMeasureEvery{500};
/// If CAF's thread does not read or write for this time (three intervals of heartbeats), this process was stopped or
/// got no processor time.
constexpr std::chrono::milliseconds kUnseen{1500};
/// If a connection ends within this time after a stop of this process, the stop may have caused the end of the
/// connection.
constexpr std::chrono::milliseconds kLately{1000};

}  // namespace

ControlLink::ControlLink(const TlsStream& stream, Refused refused)
    : name_(stream.peer_name()),
      address_(stream.peer_address()),
      socket_(duplicate(stream.fd())),
      refused_(std::move(refused)) {}

std::string ControlLink::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

bool ControlLink::leads_to(const caf::node_id& node) const {
  const std::lock_guard lock(mutex_);
  return peer_ == node;
}

void ControlLink::note_peer(const caf::node_id& node) {
  const std::lock_guard lock(mutex_);
  peer_ = node;
}

void ControlLink::refuse(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (has_refusal_) return;
    refusal_ = why;
    has_refusal_ = true;
  }
  refused_(*this, why);
  ::shutdown(socket_.get(), SHUT_RDWR);
}

std::chrono::milliseconds ControlLink::stopped_lately() const {
  const Clock::rep ended = ended_;
  const Clock::duration until = ended != 0 ? Clock::duration(ended) : Clock::now().time_since_epoch();
  const Clock::duration ago = until - Clock::duration(resumed_);
  if (ago > kLately) return std::chrono::milliseconds(0);
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::duration(stopped_));
}

void ControlLink::note_end() {
  ended_ = Clock::now().time_since_epoch().count();
  open_ = false;
}

void ControlLink::note_look() {
  const Clock::time_point now = Clock::now();
  const Clock::time_point before = std::exchange(looked_, now);
  if (before != Clock::time_point() && now - before > kUnseen) {
    stopped_ = (now - before).count();
    resumed_ = now.time_since_epoch().count();
  }
  if (now < measured_ + kMeasureEvery) return;
  measured_ = now;
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &info, &length) == 0)
    round_trip_us_ = static_cast<int>(info.tcpi_min_rtt);
}

}  // namespace troupe
