#pragma once

#include <memory>
#include <string>

#include "runtime/net/tls/credentials.hpp"

namespace troupe::bench {

/// Creates certificates for the nodes "sender" and "receiver". The destructor removes them.
class Certificates {
 public:
  Certificates();
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  const std::string& folder() const { return folder_; }
  std::shared_ptr<const Credentials> of(const std::string& name) const { return credentials_in(folder_, name); }
  /// Returns credentials from the folder of another process's `Certificates`.
  static std::shared_ptr<const Credentials> credentials_in(const std::string& folder, const std::string& name);

 private:
  std::string folder_;
};

}  // namespace troupe::bench
