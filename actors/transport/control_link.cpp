#include "actors/transport/control_link.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLookEvery{500};

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

void ControlLink::note_round_trip() {
  if (Clock::now() < next_look_) return;
  next_look_ = Clock::now() + kLookEvery;
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &info, &length) == 0)
    round_trip_us_ = static_cast<int>(info.tcpi_min_rtt);
}

}  // namespace troupe
