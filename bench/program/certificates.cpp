#include "bench/program/certificates.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/temporary.hpp"
#include "runtime/net/certificates/authority.hpp"

namespace troupe::bench {

Certificates::Certificates() : folder_((temporary_folder() / "troupe-bench-XXXXXX").string()) {
  if (::mkdtemp(folder_.data()) == nullptr) throw_errno("cannot make a folder for certificates");
  create_authority(folder_ + "/ca");
  for (const char* name : {"sender", "receiver"}) create_node_credentials(folder_ + "/ca", name);
}

Certificates::~Certificates() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::shared_ptr<const Credentials> Certificates::credentials_in(const std::string& folder, const std::string& name) {
  return std::make_shared<const Credentials>(folder + "/ca/" + name, Role::node);
}

}  // namespace troupe::bench
