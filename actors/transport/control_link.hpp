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

/// The state of a TLS control connection. CAF's thread updates it, and other threads read it or end the connection.
/// Thread-safe, except for the functions that only CAF's thread may call.
class ControlLink {
 public:
  using Refused = std::function<void(const ControlLink& link, const std::string& why)>;

  /// @param refused called at most once, when this process ends the connection, with the reason; runs on CAF's thread
  /// or on the thread that calls `refuse`
  ControlLink(const TlsStream& stream, Refused refused);

  const std::string& name() const { return name_; }        ///< the name in the peer's certificate
  const std::string& address() const { return address_; }  ///< the address of the peer
  /// Returns true until the connection has ended or `refuse` was called.
  bool open() const { return open_ && !has_refusal_; }
  /// Returns the minimum round-trip time in microseconds that the kernel has measured on this connection. The minimum
  /// is not affected by delayed acknowledgements.
  int round_trip_us() const { return round_trip_us_; }
  /// Returns a counter that increases whenever data from the peer arrives, including heartbeats.
  std::uint64_t heard() const { return heard_; }
  /// Returns the reason that was passed to `refuse`; empty if `refuse` was not called.
  std::string refusal() const;
  bool refused() const { return has_refusal_; }
  /// Returns true if `node` is the id by which CAF knows the peer of this connection.
  bool leads_to(const caf::node_id& node) const;

  /// Ends the connection, with the given reason. May be called from any thread.
  void refuse(const std::string& why);
  /// Simulates a network failure, for fault injection: from now on, all data from and to the peer is discarded. May be
  /// called from any thread.
  void mute() { muted_ = true; }
  bool muted() const { return muted_; }
  /// Returns for how long this process did not run, because it was stopped or got no processor time. Returns 0 if that
  /// did not end within the last second before the connection ended (or before now, if the connection is open). A stop
  /// of this process can be the reason why it detects silence of the peer.
  std::chrono::milliseconds stopped_lately() const;
  /// Records that CAF's thread is running. CAF's thread must call this whenever it reads or writes, which is at least
  /// twice per second, because this end sends heartbeats.
  void note_look();
  /// The next three functions record that data has arrived, that the connection has ended, and by which id CAF knows
  /// the peer.
  void note_heard() { ++heard_; }
  void note_end();
  void note_peer(const caf::node_id& node);

 private:
  std::string name_;
  std::string address_;
  FileDescriptor socket_;  ///< a duplicate of the connection's descriptor
  Refused refused_;
  std::atomic<int> round_trip_us_{0};
  std::atomic<std::uint64_t> heard_{0};
  std::atomic<bool> muted_{false};
  std::atomic<bool> open_{true};
  mutable std::mutex mutex_;
  std::string refusal_;
  caf::node_id peer_;
  std::atomic<bool> has_refusal_{false};
  Clock::time_point measured_;  ///< the time of the last measurement of the round trip
  Clock::time_point looked_;
  std::atomic<Clock::rep> resumed_{0};  ///< the time at which this process last ran again after it was stopped; 0:
                                        ///< never
  std::atomic<Clock::rep> stopped_{0};  ///< for how long this process was stopped then
  std::atomic<Clock::rep> ended_{0};
};

}  // namespace troupe
