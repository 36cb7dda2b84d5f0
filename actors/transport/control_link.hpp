#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "actors/caf.hpp"
#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// A control connection while CAF uses it, as others see it.
class ControlLink {
 public:
  using Refused = std::function<void(const ControlLink& link, const std::string& why)>;

  /// @param refused tells once what the peer did that ended it; called on CAF's thread, or on who calls `refuse`.
  ControlLink(const TlsStream& stream, Refused refused);

  const std::string& name() const { return name_; }        ///< of the peer's certificate
  const std::string& address() const { return address_; }  ///< of the peer
  bool open() const { return open_ && !has_refusal_; }
  /// The least in microseconds that the kernel saw, which leaves delayed acknowledgements out.
  int round_trip_us() const { return round_trip_us_; }
  /// Goes up whenever something of the peer comes, such as a heartbeat.
  std::uint64_t heard() const { return heard_; }
  /// Why it was ended, if it was.
  std::string refusal() const;
  bool refused() const { return has_refusal_; }
  /// Whether CAF knows the peer as `node`.
  bool leads_to(const caf::node_id& node) const;

  /// Ends the connection. Any thread.
  void refuse(const std::string& why);
  /// From now on nothing of the peer is heard, and nothing reaches it, as if the network between were gone. Any thread.
  void mute() { muted_ = true; }
  bool muted() const { return muted_; }
  /// For how long this end was stopped or starved, where that was just before the connection ended, or before now; else
  /// 0.
  std::chrono::milliseconds stopped_lately() const;
  /// On CAF's thread, whenever it reads or writes: with the heartbeats of this end, twice a second at least.
  void note_look();
  void note_heard() { ++heard_; }
  void note_end();
  void note_peer(const caf::node_id& node);

 private:
  std::string name_;
  std::string address_;
  FileDescriptor socket_;  ///< a second descriptor
  Refused refused_;
  std::atomic<int> round_trip_us_{0};
  std::atomic<std::uint64_t> heard_{0};
  std::atomic<bool> muted_{false};
  std::atomic<bool> open_{true};
  mutable std::mutex mutex_;
  std::string refusal_;
  caf::node_id peer_;
  std::atomic<bool> has_refusal_{false};
  Clock::time_point measured_;  ///< the round trip
  Clock::time_point looked_;
  std::atomic<Clock::rep> resumed_{0};  ///< when this end was last seen to have been stopped
  std::atomic<Clock::rep> stopped_{0};  ///< and for how long
  std::atomic<Clock::rep> ended_{0};
};

}  // namespace troupe
