module github.com/kedge-opt/kedge

go 1.26
