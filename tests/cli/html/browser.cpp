#include "cli/html/browser.hpp"

#include <cstdlib>
#include <stdexcept>

#include "cli/small_data.hpp"

namespace troupe_test {

bool has_browser() { return std::system("command -v chromium >/dev/null 2>&1") == 0; }  // NOLINT(concurrency-mt-unsafe)

Rendered render(const std::string& path) {
  const troupe::testing::TemporaryFolder folder;
  const std::string command = "HOME='" + folder.path().string() +
                              "' timeout -k 5 60 chromium --headless --no-sandbox " +
                              "--disable-gpu --disable-dev-shm-usage --disable-background-networking " +
                              "--no-first-run --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir='" +
                              (folder / "profile") + "' --enable-logging=stderr --v=0 --dump-dom 'file://" + path +
                              "' >'" + (folder / "document") + "' 2>'" + (folder / "log") + "' </dev/null";
  if (std::system(command.c_str()) != 0)  // NOLINT(concurrency-mt-unsafe)
    throw std::runtime_error("chromium failed: " + troupe::testing::read_file(folder / "log"));
  Rendered rendered{.document = troupe::testing::read_file(folder / "document"), .console = ""};
  for (const std::string& line : lines_of(troupe::testing::read_file(folder / "log")))
    if (line.find(":CONSOLE") != std::string::npos) rendered.console += line + "\n";
  return rendered;
}

}  // namespace troupe_test
