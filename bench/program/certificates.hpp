#pragma once

#include <memory>
#include <string>

#include "runtime/net/tls/credentials.hpp"

namespace troupe::bench {

/// Certificates of the nodes "sender" and "receiver", for as long as a measurement takes.
class Certificates {
 public:
  Certificates();
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  const std::string& folder() const { return folder_; }
  std::shared_ptr<const Credentials> of(const std::string& name) const { return credentials_in(folder_, name); }
  /// Those of another process.
  static std::shared_ptr<const Credentials> credentials_in(const std::string& folder, const std::string& name);

 private:
  std::string folder_;
};

}  // namespace troupe::bench
