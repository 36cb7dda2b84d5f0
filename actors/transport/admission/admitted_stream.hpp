#pragma once

#include <array>
#include <vector>

#include "actors/transport/admission/frame_filter.hpp"
#include "actors/transport/admission/link_admission.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// A control connection as CAF reads and writes it: whole frames that `LinkAdmission` has let through.
class AdmittedStream {
 public:
  /// @param own the id of this process's CAF
  AdmittedStream(TlsStream stream, LinkEnd end, const wire::NodeId& own, const RunLimits& limits);
  // The filters refer to their admission.
  AdmittedStream(const AdmittedStream&) = delete;
  AdmittedStream& operator=(const AdmittedStream&) = delete;

  /// What may be heard, as far as it is there. @throws Error protocol: the peer sent what may not pass
  TlsStream::Progress read_some(std::span<std::byte> into);
  /// Takes all of `bytes` or nothing; what was not taken is given once more, at the same place.
  /// @throws Error protocol: what may not leave
  TlsStream::Progress write_some(std::span<const std::byte> bytes);
  /// Whether something can be read that no poll of the socket sees.
  bool pending() const { return read_ < heard_.size() || stream_.pending(); }
  /// Under which this process's CAF knows the peer.
  const wire::NodeId& peer() const { return admission_.stand_in(); }

 private:
  void check_own(const wire::Header& header, std::span<std::byte> payload);

  TlsStream stream_;
  LinkAdmission admission_;
  FrameFilter from_peer_;
  FrameFilter to_peer_;
  std::vector<std::byte> heard_;
  std::size_t read_ = 0;  ///< of what was heard
  bool drained_ = false;  ///< the socket held no more at the last read
  std::vector<std::byte> said_;
  std::size_t sent_ = 0;    ///< of what was said
  std::size_t judged_ = 0;  ///< bytes given to `write_some` that `said_` stands for
};

}  // namespace troupe
