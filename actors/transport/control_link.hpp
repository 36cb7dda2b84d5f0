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

/// The state of a control connection that CAF uses, for other parts of the process.
class ControlLink {
 public:
  using Refused = std::function<void(const ControlLink& link, const std::string& why)>;

  /// @param refused called once with the reason why the connection was ended; runs on CAF's thread or in the caller of
  /// `refuse`
  ControlLink(const TlsStream& stream, Refused refused);

  const std::string& name() const { return name_; }        ///< from the peer's certificate
  const std::string& address() const { return address_; }  ///< of the peer
  bool open() const { return open_ && !has_refusal_; }
  /// Returns the minimum round trip in microseconds that the kernel measured; it excludes delayed acknowledgements.
  int round_trip_us() const { return round_trip_us_; }
  /// Returns a counter that increases whenever data of the peer arrives, such as a heartbeat.
  std::uint64_t heard() const { return heard_; }
  /// Returns the reason why the connection was ended; empty if it was not.
  std::string refusal() const;
  bool refused() const { return has_refusal_; }
  /// Returns whether CAF knows the peer as `node`.
  bool leads_to(const caf::node_id& node) const;

  /// Ends the connection. May be called from any thread.
  void refuse(const std::string& why);
  /// Simulates a network failure: from now on no data of the peer is received, and no data is sent to it. May be called
  /// from any thread.
  void mute() { muted_ = true; }
  bool muted() const { return muted_; }
  /// Returns how long this process was stopped or starved, if that ended shortly before the connection ended, or before
  /// now; otherwise 0.
  std::chrono::milliseconds stopped_lately() const;
  /// Called on CAF's thread whenever it reads or writes: at least twice a second, because of this end's heartbeats.
  void note_look();
  void note_heard() { ++heard_; }
  void note_end();
  void note_peer(const caf::node_id& node);

 private:
  std::string name_;
  std::string address_;
  FileDescriptor socket_;  ///< a duplicate of the descriptor
  Refused refused_;
  std::atomic<int> round_trip_us_{0};
  std::atomic<std::uint64_t> heard_{0};
  std::atomic<bool> muted_{false};
  std::atomic<bool> open_{true};
  mutable std::mutex mutex_;
  std::string refusal_;
  caf::node_id peer_;
  std::atomic<bool> has_refusal_{false};
  Clock::time_point measured_;  ///< the time of the last round trip measurement
  Clock::time_point looked_;
  std::atomic<Clock::rep> resumed_{0};  ///< when this process was last found to have been stopped
  std::atomic<Clock::rep> stopped_{0};  ///< how long it was stopped
  std::atomic<Clock::rep> ended_{0};
};

}  // namespace troupe
