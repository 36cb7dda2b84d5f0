#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include "actors/transport/socket_folder.hpp"
#include "models/files.hpp"
#include "runtime/file_descriptor.hpp"

using namespace troupe;
using troupe::testing::TemporaryFolder;

namespace {

/// Leaves the file of a socket at this path.
void bind_socket(const std::string& path) {
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

/// Uses another folder for temporary files during the lifetime of this object.
class OtherTemporaryFolder {
 public:
  explicit OtherTemporaryFolder(const std::string& folder) : before_(::getenv("TMPDIR")) {
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  OtherTemporaryFolder(const OtherTemporaryFolder&) = delete;
  OtherTemporaryFolder& operator=(const OtherTemporaryFolder&) = delete;
  ~OtherTemporaryFolder() { ::setenv("TMPDIR", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("a socket folder is removed with its process, or when the next one is created") {
  const TemporaryFolder folder;
  const OtherTemporaryFolder other(folder.path().string());
  std::filesystem::create_directory(folder / "troupe-empty1");
  std::filesystem::create_directory(folder / "troupe-left00");
  std::filesystem::permissions(folder / "troupe-left00", std::filesystem::perms::owner_all);
  std::filesystem::last_write_time(folder / "troupe-left00",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
  std::filesystem::create_directory(folder / "troupe-others");
  troupe::testing::write_file(folder / "troupe-others/driver", "no socket");
  std::filesystem::create_directory(folder / "troupe-killed");
  bind_socket(folder / "troupe-killed/driver");
  {
    const SocketFolder one("/driver");
    CHECK_FALSE(std::filesystem::exists(folder / "troupe-killed"));
    CHECK_FALSE(std::filesystem::exists(folder / "troupe-left00"));
    bind_socket(one.path() + "/driver");
    const auto two = std::make_unique<SocketFolder>("/driver");
    CHECK(std::filesystem::exists(one.path() + "/driver"));  // its process is alive
    CHECK(one.path() != two->path());
  }
  CHECK(std::filesystem::exists(folder / "troupe-empty1"));  // another process may be about to use this folder
  CHECK(std::filesystem::exists(folder / "troupe-others/driver"));
  const std::filesystem::directory_iterator left(folder.path());
  CHECK(std::distance(begin(left), end(left)) == 2);
}
