#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/tls/credentials.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace troupe_test {

/// Returns the error of loading credentials. Loading must fail, and the error must contain the file.
inline std::string refusal(const std::string& folder, troupe::Role role, const std::string& file) {
  const auto load = [&] { troupe::Credentials(folder, role); };
  CHECK(code_of(load) == troupe::ErrorCode::bad_certificate);
  const std::string text = message_of(load);
  CHECK(text.starts_with(folder + "/" + file + " "));
  return text;
}

/// An authority with a driver and nodes "node0", "node1", ...
class TrialAuthority {
 public:
  explicit TrialAuthority(int nodes = 0) {
    troupe::create_authority(folder_.path());
    for (int n = 0; n < nodes; ++n) troupe::create_node_credentials(folder_.path(), "node" + std::to_string(n));
  }
  std::shared_ptr<const troupe::Credentials> driver() const {
    return std::make_shared<troupe::Credentials>(folder_ / "driver", troupe::Role::driver);
  }
  std::shared_ptr<const troupe::Credentials> node(int n) const {
    return std::make_shared<troupe::Credentials>(folder_ / ("node" + std::to_string(n)), troupe::Role::node);
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

/// Created once, because keys take time.
inline const TrialAuthority& trial_authority() {
  static const TrialAuthority authority(4);
  return authority;
}

}  // namespace troupe_test
