#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/tls/credentials.hpp"

/// A folder of its own, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "troupe-test-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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
