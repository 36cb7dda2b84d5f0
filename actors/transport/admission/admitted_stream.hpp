#pragma once

#include <array>
#include <vector>

#include "actors/transport/admission/frame_filter.hpp"
#include "actors/transport/admission/link_admission.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// The stream of a control connection that CAF reads and writes. The stream passes on only frames that are complete and
/// that `LinkAdmission` allows.
class AdmittedStream {
 public:
  /// @param end states whether this process is the driver or the node of the connection
  /// @param own the id by which CAF knows this process
  /// @param limits the maximum sizes of lists in messages of this run
  AdmittedStream(TlsStream stream, LinkEnd end, const wire::NodeId& own, const RunLimits& limits);
  // Not copyable, because the filters refer to this object.
  AdmittedStream(const AdmittedStream&) = delete;
  AdmittedStream& operator=(const AdmittedStream&) = delete;

  /// Reads bytes of allowed frames into `into`, as many as are available and fit. Does not wait for data.
  /// @throws Error protocol if the peer sent a frame that is not allowed
  TlsStream::Progress read_some(std::span<std::byte> into);
  /// Writes all of `bytes`, or reports that the write is not complete (0 bytes). In the second case the caller must
  /// call again with the same bytes, because this object continues with the part that was not sent yet. Does not wait.
  /// @throws Error protocol if the bytes contain a frame that must not be sent
  TlsStream::Progress write_some(std::span<const std::byte> bytes);
  /// Returns true if this object or the TLS stream has stored data, which can be read although the socket is not
  /// readable.
  bool pending() const { return read_ < heard_.size() || stream_.pending(); }
  /// Returns the id by which CAF in this process knows the peer.
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
  std::size_t judged_ = 0;  ///< number of bytes of the unfinished call of `write_some`, whose frames are in `said_`
};

}  // namespace troupe
