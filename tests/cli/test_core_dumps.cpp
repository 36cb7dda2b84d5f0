#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/refused.hpp"
#include "runtime/clock.hpp"
#include "runtime/net/socket.hpp"

using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

// These tests kill processes that hold private keys so that the kernel writes core dumps. Then they search the core
// dumps for the keys.

namespace {

/// Enables core dumps of child processes.
class CoreDumps {
 public:
  CoreDumps() {
    ::getrlimit(RLIMIT_CORE, &before_);
    const rlimit most{before_.rlim_max, before_.rlim_max};
    ::setrlimit(RLIMIT_CORE, &most);
  }
  ~CoreDumps() { ::setrlimit(RLIMIT_CORE, &before_); }
  CoreDumps(const CoreDumps&) = delete;
  CoreDumps& operator=(const CoreDumps&) = delete;

 private:
  rlimit before_ = {};
};

/// Returns the core dump in a folder, or an empty text.
std::string core_in(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("core")) return read_file(entry.path().string());
  return "";
}

/// Returns the bytes of the only block of a PEM file.
std::string bytes_of(const std::string& file) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string text = read_file(file);
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (std::size_t at = text.find('\n'); at < text.find("\n-----END"); ++at) {
    const std::size_t digit = digits.find(text[at]);
    if (digit == std::string::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(digit);
    if (count += 6; count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

/// Returns the secret number of a key: 32 bytes after the version, which is 1 (RFC 5915).
std::string secret_of(const std::string& file) {
  const std::string bytes = bytes_of(file);
  const std::string before{"\x02\x01\x01\x04\x20", 5};
  const auto at = bytes.find(before);
  REQUIRE(at != std::string::npos);
  return bytes.substr(at + before.size(), 32);
}

/// Returns whether the core dump contains half of the secret number, in either byte order, or part of the file's text.
bool holds_key(const std::string& core, const std::string& key_file) {
  const std::string secret = secret_of(key_file);
  const std::string reversed(secret.rbegin(), secret.rend());
  const std::string text = read_file(key_file);
  const std::string lines = text.substr(text.find('\n') + 1);
  for (const std::string& part :
       {secret.substr(0, 16), secret.substr(16), reversed.substr(0, 16), reversed.substr(16), lines.substr(48, 16)})
    if (core.find(part) != std::string::npos) return true;
  return false;
}

/// Returns whether the signed part of the certificate is in the core dump. If it is missing, the test proves nothing.
bool holds_certificate(const std::string& core, const std::string& folder) {
  return core.find(bytes_of(folder + "/cert.pem").substr(4, 300)) != std::string::npos;
}

std::string make_certificates(const TemporaryFolder& folder) {
  const std::string certs = folder / "certs";
  REQUIRE(run_program({"certs", "init", certs}).status == 0);
  REQUIRE(run_program({"certs", "node", certs, "n0"}).status == 0);
  return certs;
}

/// @param core the core dump of a process with the credentials in `folder`
void check_no_key(const std::string& core, const std::string& folder) {
  if (core.empty()) {
    MESSAGE("skipped: this system, or a sanitizer, leaves no core dump where the process ran");
    return;
  }
  CHECK(holds_certificate(core, folder));
  CHECK_FALSE(holds_key(core, folder + "/key.pem"));
}

}  // namespace

TEST_CASE("a core dump of a driver or a node during a run does not contain its private key") {
  const CoreDumps allowed;
  const TemporaryFolder folder;
  const std::string certs = make_certificates(folder);
  for (const char* name : {"run-driver", "run-n0"}) std::filesystem::create_directory(folder / name);
  const std::string address =
      "127.0.0.1:" + std::to_string(troupe::net::local_of(troupe::net::listen_on({"127.0.0.1", 0}).get()).port);
  Program node({"node", "--once", "--join", address, "--certs", certs + "/n0"}, {.folder = folder / "run-n0"});
  Program driver(train_linear({"--steps", "1000000", "--placement", "cluster", "--workers", "1", "--listen", address,
                               "--certs", certs + "/driver"}),
                 {.folder = folder / "run-driver"});
  REQUIRE(driver.prints("step"));
  ::kill(driver.pid(), SIGABRT);
  ::kill(node.pid(), SIGABRT);
  CHECK(driver.finish().status == -SIGABRT);
  CHECK(node.finish().status == -SIGABRT);
  check_no_key(core_in(folder / "run-driver"), certs + "/driver");
  check_no_key(core_in(folder / "run-n0"), certs + "/n0");
}

TEST_CASE("`troupe certs` leaves no core dump") {
  const CoreDumps allowed;
  const TemporaryFolder folder;
  const std::string full = folder / "full";
  REQUIRE(::mkfifo(full.c_str(), 0600) == 0);
  const troupe::FileDescriptor end(::open(full.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  const std::array<char, 4096> filling{};
  while (::write(end.get(), filling.data(), filling.size()) > 0) {
  }
  // The program has created keys when its output fails.
  Program certs({"certs", "init", "certs"}, {.folder = folder.path().string(), .output = full});
  const troupe::Deadline deadline(60s);
  while (!std::filesystem::exists(folder / "certs/driver") && !deadline.passed()) certs.read_until_silent(10ms);
  ::kill(certs.pid(), SIGABRT);
  CHECK(certs.finish().status == -SIGABRT);
  CHECK(std::filesystem::exists(folder / "certs/driver/key.pem"));
  CHECK(core_in(folder.path().string()).empty());
}
