#pragma once

#include <array>
#include <vector>

#include "actors/transport/admission/frame_filter.hpp"
#include "actors/transport/admission/link_admission.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// A control connection as CAF reads and writes it: only whole frames that `LinkAdmission` allows.
class AdmittedStream {
 public:
  /// @param own the id of this process's CAF
  AdmittedStream(TlsStream stream, LinkEnd end, const wire::NodeId& own, const RunLimits& limits);
  // The filters hold a reference to `admission_`.
  AdmittedStream(const AdmittedStream&) = delete;
  AdmittedStream& operator=(const AdmittedStream&) = delete;

  /// Reads admitted bytes, as many as have arrived.
  /// @throws Error protocol if the peer sent a frame that is not allowed
  TlsStream::Progress read_some(std::span<std::byte> into);
  /// Accepts all of `bytes` or nothing. The caller must pass bytes that were not accepted again, at the same address.
  /// @throws Error protocol if a frame must not be sent
  TlsStream::Progress write_some(std::span<const std::byte> bytes);
  /// Returns true if data can be read that polling the socket does not show.
  bool pending() const { return read_ < heard_.size() || stream_.pending(); }
  /// Returns the id by which this process's CAF knows the peer.
  const wire::NodeId& peer() const { return admission_.stand_in(); }

 private:
  void check_own(const wire::Header& header, std::span<std::byte> payload);

  TlsStream stream_;
  LinkAdmission admission_;
  FrameFilter from_peer_;
  FrameFilter to_peer_;
  std::vector<std::byte> heard_;
  std::size_t read_ = 0;  ///< number of bytes of `heard_` that were read
  bool drained_ = false;  ///< the last read emptied the socket
  std::vector<std::byte> said_;
  std::size_t sent_ = 0;    ///< number of bytes of `said_` that were sent
  std::size_t judged_ = 0;  ///< number of bytes passed to `write_some` that `said_` represents
};

}  // namespace troupe
