#include <doctest/doctest.h>

#include <filesystem>

#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "support/captured_errors.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

// Nodes that serve one run after another while certificates are revoked and renewed.

TEST_CASE("a node with a revoked certificate is refused with one line and joins again after renewal") {
  Nodes nodes(2);
  const std::string certs = nodes.authority().folder().path().string();
  revoke_credentials(certs, "node1");
  REQUIRE(std::filesystem::remove(nodes.authority().node(1) + "/crl.pem"));  // this node has no revocation list
  {
    const CapturedErrors errors;
    DistributedSGD sgd("hold", nodes.options(1));
    CHECK(comes_true([&] { return errors.text().find("certificate revoked") != std::string::npos; }, 20s));
    for (int step = 0; step < 3; ++step) sgd.step();
    CHECK(nodes[0].says("joined the driver"));
    CHECK(nodes[1].says("it refuses our certificate, which is revoked"));
    CHECK(nodes[1].err().find("joined the driver") == std::string::npos);
  }
  renew_credentials(certs, "node1");
  DistributedSGD sgd("hold", nodes.options(2));
  sgd.step();
  CHECK(nodes[1].says("joined the driver"));
}

TEST_CASE("a certificate that is renewed during a run does not disturb the run") {
  Nodes nodes(2);
  const std::string certs = nodes.authority().folder().path().string();
  std::vector<float> weights;
  {
    DistributedSGD sgd("hold", nodes.options());
    sgd.step();
    for (const char* name : {"node0", "node1", "driver"}) {
      renew_credentials(certs, name);
      sgd.step();
    }
    weights = sgd.weights();
  }
  CHECK(bits_of(weights) == bits_of(run_here(Hold{}.text(), 2, 4)));
  DistributedSGD next("hold", nodes.options());
  next.step();
}
