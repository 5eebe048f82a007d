// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace bloomery::testing {

// Certificates of a test's own, made by the openssl command in a folder: ca.pem; server.pem for
// localhost and 127.0.0.1; client.pem; stranger.pem, another authority. Keys: NAME.key.
class TestCertificates {
 public:
  static bool is_possible() { return std::system("command -v openssl >/dev/null 2>&1") == 0; }

  explicit TestCertificates(std::string folder) : folder_(std::move(folder)) {
    authority("ca");
    authority("stranger");
    signed_by_ca("server", "subjectAltName=DNS:localhost,IP:127.0.0.1");
    signed_by_ca("client", "extendedKeyUsage=clientAuth");
  }

  std::string operator/(const std::string& name) const { return folder_ + "/" + name; }

 private:
  void run(const std::string& arguments) const {
    const std::string line = "cd '" + folder_ + "' && openssl " + arguments + " >/dev/null 2>&1";
    if (std::system(line.c_str()) != 0) throw std::runtime_error("openssl " + arguments);
  }
  // Keys of elliptic curves: they are made at once.
  void authority(const std::string& name) const {
    run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=" +
        name + " -keyout " + name + ".key -out " + name + ".pem");
  }
  void signed_by_ca(const std::string& name, const std::string& extension) const {
    run("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + name + " -addext '" +
        extension + "' -keyout " + name + ".key -out " + name + ".csr");
    run("x509 -req -in " + name +
        ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 "
        "-copy_extensions copy -out " +
        name + ".pem");
  }

  std::string folder_;
};

}  // namespace bloomery::testing
