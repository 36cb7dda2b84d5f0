#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "runtime/files/byte_source.hpp"
#include "runtime/http/transfers.hpp"

namespace troupe {

/// How to request an object on a server.
struct RemoteAddress {
  std::string shown;  ///< the URL for error messages, without secrets
  /// Returns the request for the bytes [begin, end). Called for each try, because signatures contain the time.
  std::function<HttpRequest(std::uint64_t begin, std::uint64_t end)> request;
};

/// An object on a server, read by ranges. Repeats requests that fail for reasons that may pass; see Retries.
class RemoteFile final : public ByteSource {
 public:
  /// Asks the server for the size of the object.
  /// @throws Error bad_file if there is no such object or it may not be read, unsupported if the server does not
  /// provide ranges of bytes, timeout if it does not answer in time
  explicit RemoteFile(RemoteAddress address);

  const std::string& path() const override { return address_.shown; }
  std::uint64_t size() const override { return size_; }
  std::int64_t modified() const override;
  void read(std::uint64_t offset, std::span<std::byte> out) const override;
  void check_unchanged() const override;

  const RemoteAddress& address() const { return address_; }
  /// Returns the ETag or, without one, the time of the last change; empty if the server provides neither.
  const std::string& version() const { return version_; }

 private:
  RemoteAddress address_;
  std::uint64_t size_ = 0;
  std::string version_;
};

/// A read of bytes of an object that goes on while the program does something else, over several connections.
class RemoteRead {
 public:
  /// Starts to read the bytes from byte `offset` on into `out`, which must exist as long as this object.
  RemoteRead(const RemoteFile& file, std::uint64_t offset, std::span<std::byte> out, Urgency urgency);
  /// Ends the read, whether it is complete or not.
  ~RemoteRead();
  RemoteRead(const RemoteRead&) = delete;
  RemoteRead& operator=(const RemoteRead&) = delete;

  /// Blocks until all bytes have arrived.
  /// @throws Error as ByteSource::read
  void wait();

 private:
  friend class RemoteFile;
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace troupe
