#pragma once

#include <array>
#include <vector>

#include "actors/transport/admission/frame_filter.hpp"
#include "actors/transport/admission/link_admission.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// The stream of a control connection that CAF reads and writes. It passes on whole frames only, and only frames that
/// `LinkAdmission` allows.
class AdmittedStream {
 public:
  /// @param end the end of the connection that this process has
  /// @param own the id by which CAF knows this process
  /// @param limits the maximum sizes of lists in messages of this run
  AdmittedStream(TlsStream stream, LinkEnd end, const wire::NodeId& own, const RunLimits& limits);
  // Not copyable, because the filters have a reference to `admission_`.
  AdmittedStream(const AdmittedStream&) = delete;
  AdmittedStream& operator=(const AdmittedStream&) = delete;

  /// Reads bytes of admitted frames into `into`, as many as are available. Does not wait.
  /// @throws Error protocol if the peer sent a frame that is not allowed
  TlsStream::Progress read_some(std::span<std::byte> into);
  /// Writes all of `bytes`, or reports that nothing was written. In the second case the caller must pass the same bytes
  /// again later, because some of them may have been sent. Does not wait.
  /// @throws Error protocol if the bytes contain a frame that must not be sent
  TlsStream::Progress write_some(std::span<const std::byte> bytes);
  /// Returns true if data is stored in this object or in the TLS stream, and can be read although the socket is not
  /// readable.
  bool pending() const { return read_ < heard_.size() || stream_.pending(); }
  /// Returns the id by which this process's CAF knows the peer.
  const wire::NodeId& peer() const { return admission_.stand_in(); }

 private:
  /// Checks a frame that this process sends.
  /// @throws Error protocol if the frame is not allowed
  void check_own(const wire::Header& header, std::span<std::byte> payload);

  TlsStream stream_;
  LinkAdmission admission_;
  FrameFilter from_peer_;
  FrameFilter to_peer_;
  std::vector<std::byte> heard_;
  std::size_t read_ = 0;  ///< number of bytes of `heard_` that CAF has read
  bool drained_ = false;  ///< true if the last read emptied the socket
  std::vector<std::byte> said_;
  std::size_t sent_ = 0;    ///< number of bytes of `said_` that were written to the TLS stream
  std::size_t judged_ = 0;  ///< number of bytes passed to `write_some` whose frames are in `said_`
};

}  // namespace troupe
