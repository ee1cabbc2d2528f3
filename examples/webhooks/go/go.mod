module turnpike.example/webhooks

go 1.19
