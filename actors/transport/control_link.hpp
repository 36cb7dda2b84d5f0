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

/// The state of a control connection over TLS. CAF's thread updates the state; other threads read it or end the
/// connection. Thread-safe, except for the functions that only CAF's thread may call (`note_...`).
class ControlLink {
 public:
  using Refused = std::function<void(const ControlLink& link, const std::string& why)>;

  /// @param refused called at most once: when this process ends the connection by `refuse`, with the reason. Runs on
  /// the thread that calls `refuse`, which may be CAF's thread
  ControlLink(const TlsStream& stream, Refused refused);

  const std::string& name() const { return name_; }        ///< the name in the peer's certificate
  const std::string& address() const { return address_; }  ///< the address of the peer
  /// Returns true until the connection has ended or `refuse` was called.
  bool open() const { return open_ && !has_refusal_; }
  /// Returns the minimum round-trip time in microseconds that the kernel has measured on this connection. The minimum
  /// is used, because delayed acknowledgements do not affect it.
  int round_trip_us() const { return round_trip_us_; }
  /// Returns a counter that increases whenever data from the peer arrives. Heartbeats also count as data.
  std::uint64_t heard() const { return heard_; }
  /// Returns the reason that was passed to `refuse`; empty if `refuse` was not called.
  std::string refusal() const;
  bool refused() const { return has_refusal_; }
  /// Returns true if `node` is the id by which CAF knows the peer of this connection.
  bool leads_to(const caf::node_id& node) const;

  /// Ends the connection for the reason `why`. Later calls have no effect. May be called from any thread.
  void refuse(const std::string& why);
  /// Simulates a network failure, for fault injection: after this call, all data from and to the peer is discarded. May
  /// be called from any thread.
  void mute() { muted_ = true; }
  bool muted() const { return muted_; }
  /// Returns for how long this process recently did not run, because it was stopped or got no processor time. Only the
  /// second before the end of the connection counts (the last second, if the connection is open): returns 0 if this
  /// process did not start to run again within that second. The result matters if the peer seems to be silent, because
  /// a stop of this process looks the same as silence of the peer.
  std::chrono::milliseconds stopped_lately() const;
  /// Records that CAF's thread is running. CAF's thread must call this function whenever it reads or writes. It writes
  /// at least twice per second, because it sends heartbeats.
  void note_look();
  /// The next three functions are called on CAF's thread. They record that data has arrived, that the connection has
  /// ended, and the id by which CAF knows the peer.
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
  Clock::time_point measured_;  ///< the time of the last measurement of the round-trip time
  Clock::time_point looked_;
  std::atomic<Clock::rep> resumed_{0};  ///< the time at which this process continued after it was last stopped; 0: it
                                        ///< was never stopped
  std::atomic<Clock::rep> stopped_{0};  ///< for how long this process was stopped before `resumed_`
  std::atomic<Clock::rep> ended_{0};
};

}  // namespace troupe
